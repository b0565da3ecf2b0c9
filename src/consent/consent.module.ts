import { Module } from '@nestjs/common';
import { ConsentEvents } from './consent.events.js';

@Module({ providers: [ConsentEvents], exports: [ConsentEvents] })
export class ConsentModule {}
