"""Plays as a good player's handbook would have it: one module a game, from a view to an action."""

import play_briscola
import play_chiamata
import play_frap
import play_frusta
import play_tressette

from mazzo import Action, Bot, Card, View, run
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.games.frap import FrapView
from mazzo.games.frusta import FrustaView
from mazzo.games.tressette import MetaMazzoView, PizzichinoView


class ExpertBot(Bot):
    """Every game by the rules of thumb of those who play it well."""

    def act(self, view: View) -> Action | Card:
        """What the module of the game says; the type of the view tells which one that is."""
        match view:
            case BriscolaView():
                return play_briscola.act(view)
            case ChiamataView():
                return play_chiamata.act(view)
            case FrapView():
                return play_frap.act(view)
            case FrustaView():
                return play_frusta.act(view)
            case MetaMazzoView() | PizzichinoView():
                return play_tressette.act(view)
        raise TypeError(f"expected a game that this bot knows, got {view.variant}")


if __name__ == "__main__":
    run(ExpertBot)
