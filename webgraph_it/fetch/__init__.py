"""From a request to a reply: client, DNS, TLS, connection cap, bandwidth. Knows no Scrapy."""
