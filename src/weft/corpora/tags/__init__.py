"""Files of tokens with tags, and of what tags words may have."""
