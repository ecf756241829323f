"""The experiments of the paper (section 6), each a pure function of its options and its seed.

Data flows one way: pictures or samples → distances (`rpw.pairwise`, `rpw.profile`) → numbers → CSV, figure, page.
"""
