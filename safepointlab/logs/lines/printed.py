"""Lines that a sample prints in a form of its own -> the fields of each, with the count of what was understood."""

import re

from safepointlab.logs.lines.source import Count, Source, blocks, refuse_foreign


def fields(
    source: Source, name: str, mark: re.Pattern[str], begun: re.Pattern[str], header: str, strict: bool
) -> tuple[list[tuple[str, ...]], Count]:
    """The groups of `mark` in each line that it matches.

    Args:
        name: the kind, for messages.
        begun: matches the beginning of such a line; if `mark` does not match there, the line is damaged.
        header: the program's headline; a table that has it but no rows is of this kind, too.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, rows = Count(), list[tuple[str, ...]]()
    for block in blocks(source):
        count.taste(block)
        count.lines += block.text.count("\n")
        for start in begun.finditer(block.text):
            if not mark.match(block.text, start.start()):
                count.damage(block, start.start(), strict)
        rows += mark.findall(block.text)
    count.own = bool(rows) or header in count.sample
    count.skipped = count.lines - len(rows) - count.damaged
    if strict:
        refuse_foreign(count, name)
    return rows, count
