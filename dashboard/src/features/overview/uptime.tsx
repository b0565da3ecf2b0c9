import type { CSSProperties } from 'react';
import type { ActivitySlotResponse } from '../../client/types.gen';
import { clockTime } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';

const SLOTS = 48;

/** A bar for each half hour of the last 24 hours: how much of it failed is its red part, and a stub means no attempts. */
export function Uptime({ slots }: { slots: ActivitySlotResponse[] | undefined }) {
  const { zone, now } = useZone();
  const shown = slots ?? Array.from({ length: SLOTS }, () => null);
  const failed = slots?.filter((slot) => slot.failed > 0).length ?? 0;
  return (
    <div>
      <div className="uptime" role="img" aria-label={t('overview.uptime', { failed })}>
        {shown.map((slot, place) => {
          const attempts = slot ? slot.delivered + slot.failed : 0;
          if (!slot || attempts === 0) return <i key={place} data-none />;
          const at = clockTime(new Date(slot.at), { zone, now, language: locale });
          return (
            <i
              key={place}
              title={t('overview.slot', { at, delivered: slot.delivered, failed: slot.failed })}
              style={{ '--failed': failedShare(slot.failed, attempts) } as CSSProperties}
            />
          );
        })}
      </div>
      <div className="uptime-ends" aria-hidden>
        <span>{t('overview.dayAgo')}</span>
        <span>{t('overview.now')}</span>
      </div>
    </div>
  );
}

/** So small a part of a bar is still seen. */
const SMALLEST_SHARE = 0.25;

function failedShare(failed: number, attempts: number): string {
  return failed === 0 ? '0%' : `${Math.round(Math.max(failed / attempts, SMALLEST_SHARE) * 100)}%`;
}
