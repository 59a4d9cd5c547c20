"""Reference sets as versions that never change: what they hold, how they are published, compared, taken back."""
