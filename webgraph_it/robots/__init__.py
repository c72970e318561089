"""Which paths the rules of a robots.txt allow."""
