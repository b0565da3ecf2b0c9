import type { EventEndpointResponse } from '../../client/types.gen';
import { type Status, StatusLabel } from '../../shared/status-label';
import { absoluteTime, clockTime } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t, translateCode } from '../../i18n/i18n';

/** Waiting events are counted up to this. */
const COUNTED_MAX = 1_000;

/** Only an unwanted end is a problem: a member who disables an endpoint means it. */
function endpointStatus(endpoint: Pick<EventEndpointResponse, 'state' | 'failingSince'>): Status {
  const { state, failingSince } = endpoint;
  if (state === 'disabled') return 'off';
  if (state === 'held') return 'bad';
  return failingSince === null ? 'good' : 'waiting';
}

export function needsAttention({ state, disabledReason }: EventEndpointResponse): boolean {
  return state === 'held' || disabledReason === 'no_success';
}

export function EndpointState({ endpoint }: { endpoint: EventEndpointResponse }) {
  return <StatusLabel status={endpointStatus(endpoint)}>{t(`events.states.${endpoint.state}`)}</StatusLabel>;
}

/** Why an endpoint is in its state, in a few words; nothing for one that works. */
export function StateCause({ endpoint }: { endpoint: EventEndpointResponse }) {
  const { heldSince, disabledReason, failingSince } = endpoint;
  if (disabledReason !== null) return t(`events.disabledReasons.${disabledReason}`);
  if (heldSince !== null)
    return (
      <>
        {t('events.since')} <ClockTime at={heldSince} />
      </>
    );
  if (failingSince === null) return null;
  return (
    <>
      {t('events.failingSince')} <ClockTime at={failingSince} />
    </>
  );
}

/** The time of an instant of today, with its day otherwise. */
function ClockTime({ at }: { at: string }) {
  const { zone, now } = useZone();
  const instant = new Date(at);
  return (
    <time dateTime={at} title={absoluteTime(instant, zone, locale)}>
      {clockTime(instant, { zone, now, language: locale })}
    </time>
  );
}

/** Why events are held: the API's sentence, which is English. */
export function heldSentence({ heldReason }: Pick<EventEndpointResponse, 'heldReason'>): string {
  return locale === 'en' && heldReason !== null ? heldReason : t('events.refusing');
}

export function waitingSentence(count: number): string {
  return t('events.waitingCount', { count, more: String(count >= COUNTED_MAX) });
}

/** Host and path of an endpoint: its query may be long. */
export function shortUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : host + pathname;
}

/** The name of a type; its code where this dashboard is older than the type. */
export function typeName(type: string): string {
  return translateCode('events.typeNames', type) ?? type;
}
