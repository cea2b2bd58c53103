"""Files of trees, and what treebanks have in them beside trees."""
