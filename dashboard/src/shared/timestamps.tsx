import { useEffect, useState } from 'react';
import { locale } from '../i18n/i18n';
import { absoluteTime, dateOf, relativeTime } from './time';
import { useZone } from './zone';

/** An instant, relative; the whole of it on hover, in the person's zone. */
export function RelativeTime({ at }: { at: string }) {
  const { zone, now } = useZone();
  const instant = new Date(at);
  // A record of this very second is not "in 1 second" because the page's clock ticks slowly.
  const reference = now < instant && instant.getTime() - now.getTime() < 60_000 ? instant : now;
  return (
    <time dateTime={at} title={absoluteTime(instant, zone, locale)}>
      {relativeTime(instant, reference, locale)}
    </time>
  );
}

/** An instant whose exact time matters, shown in full. */
export function AbsoluteTime({ at }: { at: string }) {
  const { zone, now } = useZone();
  const instant = new Date(at);
  return (
    <time dateTime={at} title={relativeTime(instant, now, locale)}>
      {absoluteTime(instant, zone, locale)}
    </time>
  );
}

/** The day of an instant; the whole of it on hover. */
export function DateOf({ at }: { at: string }) {
  const { zone } = useZone();
  const instant = new Date(at);
  return (
    <time dateTime={at} title={absoluteTime(instant, zone, locale)}>
      {dateOf(instant, zone, locale)}
    </time>
  );
}

const COUNT_DOWN_MS = 1_000;

/** A countdown to an instant; `now` once it has passed. */
export function Countdown({ at }: { at: string }) {
  const { zone } = useZone();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), COUNT_DOWN_MS);
    return () => clearInterval(timer);
  }, []);
  const instant = new Date(at);
  return (
    <time dateTime={at} title={absoluteTime(instant, zone, locale)}>
      {relativeTime(instant > now ? instant : now, now, locale)}
    </time>
  );
}
