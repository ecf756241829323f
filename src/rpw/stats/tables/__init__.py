"""Two tables, column by column and all together: has the data changed?"""
