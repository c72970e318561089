"""Numbers that the reader, the writer and the searches of the URL map share (urlmap.py specifies the format)."""

MAGIC = b"WGITURL1"
HEADER_BYTES = 40
URLS_PER_BLOCK = 32
LENGTH_BIAS = 11
"""Added to a common length, so that its byte is above LF, which ends the line."""
MAX_COMMON = 255 - LENGTH_BIAS
EXPLICIT = ord("x")
"""The spelling byte of a URL that is stored in full."""
