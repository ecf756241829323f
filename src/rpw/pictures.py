"""Says where the labelled pictures of the paper's experiments have gone."""

raise ImportError("rpw.pictures is now rpw_paper.pictures: pip install ./paper in a clone of rpw")
