import { createHmac } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newId } from '../../../platform/identity/ids.js';
import { clientNetwork } from '../../../platform/network/client-network.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/author.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { emailNotConfirmed, type UserActor } from '../domain/actor.js';
import { hashOfKey } from '../domain/api-key.js';
import {
  DEVICE_CODE_SECONDS,
  deviceCodeNotFound,
  generateDeviceCode,
  generateUserCode,
  isEarlyPoll,
  isRecentSignIn,
  type OAuthErrorCode,
  POLL_SECONDS,
  POLL_SECONDS_MAX,
  readUserCode,
  SLOW_DOWN_SECONDS,
} from '../domain/personal-token.js';
import { AuthPool } from '../infrastructure/auth-pool.js';
import {
  decideDevice,
  deleteDevice,
  type DeviceRow,
  findPending,
  insertDevice,
  lockDevice,
  notePoll,
} from '../infrastructure/device-authorization.rows.js';
import { NetworkRateLimiter, SharedRateLimiter } from '../infrastructure/shared-rate-limiter.js';
import { PersonalTokenService } from './personal-token.service.js';
import { RecentSignIn } from './recent-sign-in.js';

/** Requests for a code from one network in ten minutes: an office behind one address. */
const DEVICE_REQUESTS_PER_NETWORK_MAX = 30;
/** Wrong codes that one person may type in an hour, of 2.6 * 10^10 codes. */
export const WRONG_CODES_PER_USER_MAX = 10;
const TEN_MINUTES_SECONDS = 10 * 60;
const HOUR_SECONDS = 60 * 60;

/** The end of a poll. */
export type DevicePollEnd = { kind: 'issued'; token: string } | { kind: 'refused'; error: OAuthErrorCode };

/** Tokens for machines without a browser, by device code (RFC 8628). */
@Injectable()
export class DeviceAuthorizationService {
  private readonly requests: NetworkRateLimiter;
  private readonly wrongCodes: SharedRateLimiter;
  private readonly secret: string;

  constructor(
    private readonly em: EntityManager,
    private readonly tokens: PersonalTokenService,
    private readonly recentSignIn: RecentSignIn,
    { pool }: AuthPool,
    @InjectSettings(accessSettings) { authSecret }: AccessSettings,
  ) {
    this.secret = authSecret;
    const shared = { pool, secret: authSecret };
    this.requests = new NetworkRateLimiter({
      ...shared,
      name: 'device_request',
      points: DEVICE_REQUESTS_PER_NETWORK_MAX,
      windowSeconds: TEN_MINUTES_SECONDS,
      refusal: 'Too many codes were requested from this address. Wait before you request another one.',
    });
    this.wrongCodes = new SharedRateLimiter({
      ...shared,
      name: 'device_wrong_code',
      points: WRONG_CODES_PER_USER_MAX,
      windowSeconds: HOUR_SECONDS,
      refusal: 'Too many wrong codes. Wait before you try again.',
    });
  }

  /** Creates the codes of a machine, which are returned only here. @throws DomainError `too_many_requests`. */
  async request(
    deviceName: string,
    address: string,
  ): Promise<{ deviceCode: string; userCode: string; expiresIn: number; interval: number }> {
    await this.requests.consume(clientNetwork(address));
    const [deviceCode, userCode] = [generateDeviceCode(), generateUserCode()];
    const createdAt = new Date();
    await this.em.fork().transactional((tx) =>
      insertDevice(tx, {
        id: newId(),
        deviceCodeHash: hashOfKey(deviceCode),
        userCodeHash: this.hashOf(userCode),
        deviceName,
        network: truncatedNetwork(address),
        state: 'pending',
        userId: null,
        intervalSeconds: POLL_SECONDS,
        polledAt: null,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + DEVICE_CODE_SECONDS * 1_000),
      }),
    );
    return { deviceCode, userCode, expiresIn: DEVICE_CODE_SECONDS, interval: POLL_SECONDS };
  }

  /** The token of an approved request, once; otherwise why there is none. */
  async poll(deviceCode: string, address: string): Promise<DevicePollEnd> {
    return this.em.fork().transactional(async (tx): Promise<DevicePollEnd> => {
      const now = new Date();
      const device = await lockDevice(tx, hashOfKey(deviceCode));
      if (!device) return { kind: 'refused', error: 'invalid_grant' };
      if (device.expiresAt <= now) return { kind: 'refused', error: 'expired_token' };
      if (isEarlyPoll(device, now)) {
        const slower = Math.min(device.intervalSeconds + SLOW_DOWN_SECONDS, POLL_SECONDS_MAX);
        await notePoll(tx, { id: device.id, intervalSeconds: slower }, now);
        return { kind: 'refused', error: 'slow_down' };
      }
      const { id, state, userId, deviceName } = device;
      if (state === 'pending' || userId === null) {
        await notePoll(tx, device, now);
        return { kind: 'refused', error: 'authorization_pending' };
      }
      await deleteDevice(tx, id);
      if (state === 'denied') return { kind: 'refused', error: 'access_denied' };
      const network = truncatedNetwork(address);
      return {
        kind: 'issued',
        token: await this.tokens.issue(tx, { userId, name: deviceName, network }, now),
      };
    });
  }

  /** The pending request of a typed code. @throws DomainError `device_code_not_found`, `too_many_requests`. */
  async read(user: UserActor, typed: string): Promise<DeviceRow & { signedInRecently: boolean }> {
    const device = await this.find(user, typed);
    return { ...device, signedInRecently: isRecentSignIn(user.signedInAt, new Date()) };
  }

  /**
   * Lets the machine have a token of the caller, who signed in recently or gives their password.
   *
   * @throws DomainError `device_code_not_found`, `recent_sign_in_required`, `invalid_credentials`,
   *   `email_not_confirmed`, `too_many_requests`.
   */
  async approve(
    user: UserActor,
    { userCode, password }: { userCode: string; password?: string | undefined },
  ): Promise<void> {
    if (!user.emailConfirmed) throw emailNotConfirmed();
    const { id } = await this.find(user, userCode);
    await this.recentSignIn.require(user, password);
    await this.decide(user, id, 'approved');
  }

  /** @throws DomainError `device_code_not_found`, `too_many_requests`. */
  async deny(user: UserActor, userCode: string): Promise<void> {
    const { id } = await this.find(user, userCode);
    await this.decide(user, id, 'denied');
  }

  private async decide(
    { userId, network }: UserActor,
    id: string,
    state: 'approved' | 'denied',
  ): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (!(await decideDevice(tx, { id, state, userId }, new Date()))) throw deviceCodeNotFound();
      const action = state === 'approved' ? 'device_approved' : 'device_denied';
      await writeSecurityEvent(tx, { userId, action, network });
    });
  }

  /** Only wrong codes count: they are consumed first, so that concurrent guesses count too. */
  private async find({ userId }: UserActor, typed: string): Promise<DeviceRow> {
    await this.wrongCodes.consume(userId);
    const code = readUserCode(typed);
    const device = code === null ? null : await findPending(this.em.fork(), this.hashOf(code), new Date());
    if (!device) throw deviceCodeNotFound();
    await this.wrongCodes.refund(userId);
    return device;
  }

  /** A code has few bits: without the secret, its hash would reveal it. */
  private hashOf(userCode: string): Buffer {
    return createHmac('sha256', this.secret).update(userCode).digest();
  }
}
