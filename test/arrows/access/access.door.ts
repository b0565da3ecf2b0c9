export const door = 'access';
