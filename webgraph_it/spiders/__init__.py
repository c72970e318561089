"""The spiders: national.py has the behaviour; each of the others is the facts of one web (docs/other-webs.md)."""
