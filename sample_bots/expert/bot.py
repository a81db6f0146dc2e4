"""Plays as a good player's handbook would have it: one module a game, from a view to an action."""

from collections.abc import Callable

import play_briscola
import play_chiamata
import play_frap
import play_frusta
import play_tressette

from mazzo import Action, Bot, Card, View, run

PLAYS: dict[str, Callable[..., Action | Card]] = {
    "briscola": play_briscola.act,
    "briscola-chiamata": play_chiamata.act,
    "frap": play_frap.act,
    "frusta": play_frusta.act,
    "tressette-meta-mazzo": play_tressette.act,
    "tressette-pizzichino": play_tressette.act,
}


class ExpertBot(Bot):
    """Every game by the rules of thumb of those who play it well."""

    def act(self, view: View) -> Action | Card:
        """What the module of the game says."""
        return PLAYS[view.variant.game.id](view)


if __name__ == "__main__":
    run(ExpertBot)
