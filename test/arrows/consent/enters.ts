export { rule } from '../licensing/domain/rule.js';
