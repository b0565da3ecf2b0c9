export const door = 'outbox';
