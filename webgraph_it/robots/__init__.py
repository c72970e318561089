"""robots.txt: which paths its rules allow, how long it is valid, and how to get it."""
