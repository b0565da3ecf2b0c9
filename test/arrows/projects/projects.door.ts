export const door = 'projects';
