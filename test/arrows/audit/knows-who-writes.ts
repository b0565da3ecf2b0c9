import { projects } from '../projects/project.service.js';

export const taken = projects;
