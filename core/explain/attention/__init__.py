"""What the Attention page explains: what heads do, their types, and the steps inside one."""
