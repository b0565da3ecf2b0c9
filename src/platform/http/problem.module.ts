import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ProblemFilter } from './problem.filter.js';

/** Converts every error to a problem document, also on routes outside Nest. */
@Global()
@Module({
  providers: [ProblemFilter, { provide: APP_FILTER, useExisting: ProblemFilter }],
  exports: [ProblemFilter],
})
export class ProblemModule {}
