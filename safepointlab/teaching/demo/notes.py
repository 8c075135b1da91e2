"""The two lines of a step for its speaker -> the foot of the screen, or a second terminal, or a file."""

from pathlib import Path

from safepointlab.errors import BadInput

CLEAR = "\x1b[2J\x1b[H"


class Notes:
    """Where the speaker's lines go; without a place they stay on the screen.

    Args:
        place: a terminal, such as /dev/pts/3 (the command `tty` names it), or a file, which grows.

    Raises:
        BadInput: it cannot be written.
    """

    def __init__(self, place: str = "") -> None:
        self._place = Path(place) if place else None
        self._write("")

    def on_screen(self, say: tuple[str, str]) -> tuple[str, ...]:
        """The lines for the foot of the screen, none if they go elsewhere."""
        return () if self._place else tuple(f"» {line}" for line in say)

    def tell(self, head: str, say: tuple[str, str]) -> None:
        """Write them to their own place, if they have one."""
        self._write(f"{head}\n" + "\n".join(say) + "\n\n")

    def _write(self, text: str) -> None:
        if not self._place:
            return
        try:
            with self._place.open("a", encoding="utf-8") as out:
                out.write((CLEAR if out.isatty() else "") + text)
        except OSError as cause:
            advice = "Give a file, or the terminal that `tty` names when you type it there."
            raise BadInput(f"--notes {self._place} cannot be written: {cause.strerror}. {advice}") from cause
