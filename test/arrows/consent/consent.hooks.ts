export { useCase } from './application/use-case.js';
