export const door = 'licensing';
