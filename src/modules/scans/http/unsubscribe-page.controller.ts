import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/http/public.decorator.js';
import { ScanAlerts } from '../application/scan-alerts.js';
import {
  UNSUBSCRIBE_LANGUAGES,
  UNSUBSCRIBE_POLICY,
  unsubscribePage,
  type UnsubscribeState,
} from './unsubscribe-page.js';

/** The page of the link in alert mails, and what mail clients call for one click (RFC 8058). */
@ApiExcludeController()
@Controller('unsubscribe')
export class UnsubscribePageController {
  constructor(private readonly alerts: ScanAlerts) {}

  /** Changes nothing, because mail scanners open links. */
  @Get()
  @Public()
  async read(
    @Query('token') token: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const project = await this.alerts.projectOf(String(token ?? ''));
    this.send(request, response, project === null ? { kind: 'invalid' } : { kind: 'ask', project });
  }

  /** The body is not read: the token is sufficient. */
  @Post()
  @HttpCode(200)
  @Public()
  async unsubscribe(
    @Query('token') token: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const isDone = await this.alerts.unsubscribe(String(token ?? ''));
    this.send(request, response, { kind: isDone ? 'done' : 'invalid' });
  }

  private send(request: Request, response: Response, state: UnsubscribeState): void {
    const [first] = UNSUBSCRIBE_LANGUAGES;
    const language = request.acceptsLanguages([...UNSUBSCRIBE_LANGUAGES]) || first;
    response
      .status(state.kind === 'invalid' ? 404 : 200)
      .set({
        'Cache-Control': 'no-store',
        'Content-Language': language,
        'Content-Security-Policy': UNSUBSCRIBE_POLICY,
        Vary: 'Accept-Language',
      })
      .type('html')
      .send(unsubscribePage(language === 'de' ? 'de' : 'en', state));
  }
}
