export const door = 'billing';
