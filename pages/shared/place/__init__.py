"""Where a session is: its address, the menu, the open stop of a lesson, what it has visited."""
