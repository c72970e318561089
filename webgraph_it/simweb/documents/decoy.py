"""A URL that the documents mention and do not link to."""

DECOY = "http://non-un-collegamento.it/esempio"
