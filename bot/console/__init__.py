"""The operators' window: pages, what they ask and live events, over the same front desk as the commands."""
