# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uses of libraries other than by runs that have loaded them, by day."""

import argparse

from .. import extensions
from . import days, link_page
from .columns import OVERLAP
from .use_counts import Counts, first_link

# Those of extensions are in modules use_door: WORDS, OF_USE, UNFIT and PARTS as here, and NOTES: {use: function of model, options,
# counts and OVERLAP or "", with parts of the note}
WORDS = {"loaded": "runs", "linked": "links"}
NOTES = {}
OF_EXTENSION = {"opened": "libraries", "called": "routines"}
# what the rows of --use can be
OF_USE = {"linked": ("libraries", "system", "modules", "compilers", "users", "executables")}
# of which each link, and each run, has one
ONE_EACH = ("compilers", "users", "executables")
# what a record of such a use does not have
UNFIT = {"linked": link_page.UNFIT}


def linked(model, options, kind):
    if kind == "libraries":
        return of_links(model, options, lambda link: model.library_names(link.objects))
    if kind == "system":
        return of_links(model, options, lambda link: model.system_names(link.objects))
    return of_links(model, options, link_page.namer(model, options, kind))


def of_links(model, options, names_of):
    found = Counts(first_link(model))
    for link in link_page.read(model, options):
        found.add(names_of(link), days.of_time(link.epoch), 1)
    return found


PARTS = {"linked": linked}
for _door in extensions.doors("use_door"):
    WORDS.update(_door.WORDS)
    OF_USE.update(_door.OF_USE)
    UNFIT.update(_door.UNFIT)
    PARTS.update(_door.PARTS)
    NOTES.update(_door.NOTES)
USES = tuple(WORDS)


def use_of(text):
    """The word for --use."""
    if text not in WORDS:
        raise argparse.ArgumentTypeError(extensions.lacking(OF_EXTENSION.get(text)) or "there are " + ", ".join(WORDS))
    return text


def note_of(model, options, use, found, kind):
    if use in NOTES:
        return " ".join(filter(None, NOTES[use](model, options, found, "" if kind in ONE_EACH else OVERLAP)))
    return "" if kind in ONE_EACH else link_page.OVERLAP
