"""The gateway: sessions, their replay buffers, and the socket they speak through."""
