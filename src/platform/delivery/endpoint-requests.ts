import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type EndpointJudgement, judgeEndpointUrl, type TargetKind } from './domain/endpoint-policy.js';
import { type HealthSignal, healthSignalOf } from './domain/health-signal.js';
import type { HeaderList } from './domain/http-request.js';
import { type Answer, type Judgement, judgeResponse } from './domain/outcome.js';
import { storedResponseBody } from './domain/response-body.js';
import { Sender } from './sender.js';
import { TargetRateLimiter } from './target-rate-limiter.js';

/** A POST to a receiver. */
export interface EndpointRequest {
  projectId: string;
  url: string;
  kind: TargetKind;
  /** The secrets that the request contains, which a stored response must not repeat; or why there are none. */
  secrets: readonly string[] | { unreadable: string };
  /** Headers and body of an attempt that begins at `attemptedAt`. */
  message: (attemptedAt: Date) => { headers: HeaderList; body: string };
  /** Whether a failure keeps the beginning of its response body. */
  keepsBody: boolean;
}

/** The end of an attempt, judged. */
export interface EndpointOutcome {
  judgement: Judgement;
  health: HealthSignal;
  attemptedAt: Date;
  durationMs: number;
  /** The receiver's host, never its whole URL; null: the URL is refused. */
  host: string | null;
  /** The beginning of the response body, with secrets masked; absent: none is kept. */
  responseBody?: string;
}

/**
 * How an attempt ended: with an outcome, `aborted` by the worker with an unknown outcome, or
 * snoozed because its host or address is over its limit.
 */
export type EndpointAttemptEnd =
  { kind: 'ended'; outcome: EndpointOutcome } | { kind: 'aborted' } | { kind: 'snooze'; afterMs: number };

/** Endpoint URLs whose judgement is cached, least recently used evicted; a URL has 2,048 characters at most. */
const JUDGED_URLS_MAX = 1_000;

/**
 * Sends a request to a receiver and classifies the outcome: endpoint policy, rate limits, request, judgement.
 * The same for records and events.
 */
@Injectable()
export class EndpointRequests {
  /** Cached by URL: the result depends only on the URL and on settings, which do not change at run time. */
  private readonly judged = new LRUCache<string, EndpointJudgement>({ max: JUDGED_URLS_MAX });

  constructor(
    private readonly sender: Sender,
    private readonly limiter: TargetRateLimiter,
  ) {}

  /** Judges an endpoint URL by its text (design §6.5); the sender checks every resolved address. */
  judge(text: string): EndpointJudgement {
    const known = this.judged.get(text);
    if (known) return known;
    const judgement = judgeEndpointUrl(text, this.sender.exceptions);
    this.judged.set(text, judgement);
    return judgement;
  }

  /**
   * Makes one attempt now unless its host is over a limit. Receiver and network errors are
   * outcomes, never exceptions.
   */
  async attempt(request: EndpointRequest, signal?: AbortSignal): Promise<EndpointAttemptEnd> {
    const attemptedAt = new Date();
    const { projectId, kind, secrets, keepsBody } = request;
    const judgement = this.judge(request.url);
    if (judgement.kind === 'refused')
      return ended(refusalOf(judgement), kind, { attemptedAt, durationMs: 0, host: null });
    const { url } = judgement;
    if ('unreadable' in secrets) {
      const answer = { kind: 'error', category: 'configuration', reason: secrets.unreadable } as const;
      return ended(answer, kind, { attemptedAt, durationMs: 0, host: url.host });
    }
    const permit = this.limiter.acquire({ projectId, hostname: url.hostname, kind });
    if ('afterMs' in permit) return { kind: 'snooze', afterMs: permit.afterMs };
    const message = request.message(attemptedAt);
    const result = await this.sender.send({ url, ...message, limiter: permit, keepsBody }, signal);
    if (result.kind === 'snooze') permit.cancel();
    if (result.kind !== 'answered') return result;
    const { durationMs } = result;
    const end = ended(result.answer, kind, { attemptedAt, durationMs, host: url.host }, secrets);
    const delivered = end.outcome.judgement.outcome === 'delivered';
    permit.release({ delivered, address: result.address });
    return end;
  }
}

function refusalOf({ cause, reason }: Extract<EndpointJudgement, { kind: 'refused' }>): Answer {
  return {
    kind: 'error',
    category: cause === 'not_public' ? 'blocked_address' : 'configuration',
    reason,
  };
}

function ended(
  answer: Answer,
  kind: TargetKind,
  context: Pick<EndpointOutcome, 'attemptedAt' | 'durationMs' | 'host'>,
  secrets: readonly string[] = [],
): { kind: 'ended'; outcome: EndpointOutcome } {
  const received = answer.kind === 'status' ? answer.body : undefined;
  return {
    kind: 'ended',
    outcome: {
      judgement: judgeResponse(answer),
      health: healthSignalOf(answer, kind, new Date()),
      ...context,
      ...(received !== undefined && { responseBody: storedResponseBody(received, secrets) }),
    },
  };
}
