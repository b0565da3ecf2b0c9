/** The MikroORM command line reads the same configuration as the application; set DATABASE_URL for it. */
import { ormOptions } from './src/database/orm-options.js';

export default ormOptions(process.env.DATABASE_URL ?? 'postgresql://127.0.0.1:5432/postgres');
