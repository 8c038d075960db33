"""What judging a command needs: its harm, the script around it, where it leads, what it is handed."""
