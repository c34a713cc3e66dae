"""Push as a complement to polling: subscriptions with WebSub hubs."""
