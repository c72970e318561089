"""Scrapy's commands as this project runs them, one module each; COMMANDS_MODULE names this package.

`crawl` checks everything first and ends with an exit code that says how the crawl ended. `fetch`, `shell`, `parse`
and `view` look at one page without a frontier or a crawl directory. `settings` shows parsed values.
"""
