"""Takes any legal action, each as likely as the others."""

from mazzo import Action, Bot, View, run


class RandomBot(Bot):
    """Plays, and talks where it may, without a thought."""

    def act(self, view: View) -> Action:
        """Any of the legal actions."""
        return view.random.choice(view.legal)


if __name__ == "__main__":
    run(RandomBot)
