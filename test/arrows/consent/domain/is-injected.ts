import * as taken from '@nestjs/common';

export { taken };
