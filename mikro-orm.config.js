// The command line of MikroORM looks for this name; Node itself reads the TypeScript of the other.
export { default } from './mikro-orm.config.ts';
