"""The command that resumes a crawl, a member of a fleet, or a whole fleet, or finishes a change of a fleet, as a shell
reads it. Writes nothing."""

import shlex
from pathlib import Path

from webgraph_it.files.received import InputError, read_json_object
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.fleet import (
    GIVEN_UP,
    NEW_SIZE,
    RESIZE_FILE,
    fleet_size,
    member_number,
    members,
)

FLEET = "fleet"
"""Member of crawl.json."""
LOCAL = "local"


def resume_command(spider: str, path: Path) -> str:
    """For a crawl. For a member the command of its fleet, or its own one if other members are on other machines."""
    directory, number = path.parent, member_number(path)
    size = fleet_size(directory) if number else 0
    if not size:
        return f"scrapy crawl {spider} -s JOBDIR={shlex.quote(str(path))}"
    if len(members(directory)) == size:
        return fleet_command(directory, size)
    own = f"-s JOBDIR={shlex.quote(str(directory))} -s FLEET_SIZE={size} -s FLEET_MEMBER={number}"
    return (
        f"scrapy crawl {spider} {own}{'' if transport_of(directory) == LOCAL else ' -s FLEET=… (as before)'}"
    )


def fleet_command(directory: Path, size: int, transport: str | None = None) -> str:
    """The command that starts or resumes a fleet on one machine. `transport`: the setting FLEET, if it is known."""
    command = f"webgraph-it fleet -n {size} --jobdir {shlex.quote(str(directory))}"
    transport = transport or transport_of(directory)
    if transport == LOCAL:
        return command
    is_open = "://" in transport and not {"@", "?"} & set(transport)
    return f"{command} -- -s FLEET={shlex.quote(transport) if is_open else '… (the server, as before)'}"


def transport_of(directory: Path) -> str:
    """The kind of transport that the first member was begun with. A crawl does not keep the server's password."""
    found = (CrawlDirectory(path).record().get(FLEET) for path in members(directory).values())
    kinds = (each.get("transport") for each in found if isinstance(each, dict))
    return next((kind for kind in kinds if isinstance(kind, str)), LOCAL)


def unfinished_change(directory: Path) -> str:
    """If a change of the fleet was interrupted, a sentence with the command that finishes it. Empty otherwise."""
    try:
        plan = read_json_object(directory / RESIZE_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (InputError, OSError):
        plan = {}
    name = shlex.quote(str(directory))
    given_up, size = plan.get(GIVEN_UP), plan.get(NEW_SIZE)
    if isinstance(given_up, int):
        command = f"webgraph-it fleet give-up {name} {given_up}"
    else:
        command = f"webgraph-it fleet resize {name} --to {size if isinstance(size, int) else 'N'}"
    return (
        f"{directory} is a fleet that is being changed; expected: a finished change. To finish it: {command}"
    )
