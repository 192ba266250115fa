"""What commands share to look at and to fill in: forms, views and cards."""
