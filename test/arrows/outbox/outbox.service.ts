export const outbox = 0;
