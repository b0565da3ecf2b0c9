export const door = 'forwarding';
