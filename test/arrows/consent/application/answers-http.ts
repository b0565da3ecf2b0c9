import * as taken from 'express';

export { taken };
