"""What stands between a round's plain steps and Prefect."""
