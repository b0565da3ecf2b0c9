// MikroORM's command line requires this file name; Node runs the TypeScript file directly.
export { default } from './mikro-orm.config.ts';
