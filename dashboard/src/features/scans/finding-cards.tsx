import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from '../../shared/format';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { FindingAction, type FindingContext, FindingDetails } from './finding-details';
import { FirstSeen } from './first-seen';
import { type FindingGroup, type FindingSection, markIn, STATES } from './finding-groups';
import { itemName, itemOrigin } from './finding-sentence';
import { StateMark } from './mark';
import { Verdict } from './verdict';

/** Cards of a section that are drawn at first. */
const CARDS_SHOWN = 3;

/** The findings on a phone: a card for each item, with its marks under the names of the states. */
export function FindingCards({ sections, context }: { sections: FindingSection[]; context: FindingContext }) {
  return sections.map((section) => <Section key={section.title} section={section} context={context} />);
}

function Section({ section, context }: { section: FindingSection; context: FindingContext }) {
  const { tone, title, groups } = section;
  const [all, setAll] = useState(false);
  const shown = all ? groups : groups.slice(0, CARDS_SHOWN);
  return (
    <section aria-label={title}>
      <h3 className="finding-cards-head">
        <Verdict tone={tone}>{title}</Verdict>
        <span className="quiet">{formatNumber(groups.length)}</span>
      </h3>
      {shown.map((group) => (
        <Card key={group.id} group={group} context={context} />
      ))}
      {groups.length > shown.length && (
        <div className="finding-card">
          <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
            {t('findings.showMore', { count: groups.length - shown.length })}
          </Button>
        </div>
      )}
    </section>
  );
}

function Card({ group, context }: { group: FindingGroup; context: FindingContext }) {
  const [isOpen, setOpen] = useState(false);
  const { first } = group;
  return (
    <article className="finding-card" aria-label={itemName(first)}>
      <div className="finding-card-head">
        <span className="mono">
          <VisibleText text={itemName(first)} />
        </span>
        <span className="quiet">
          <VisibleText text={itemOrigin(first)} />
        </span>
        <FirstSeen group={group} scanId={context.scan.id} />
      </div>
      <ul className="finding-card-marks">
        {STATES.map((state) => (
          <li key={state}>
            <StateMark mark={markIn(group, state, context.tested.has(state))} />
            {t(`findings.columns.${state}`)}
          </li>
        ))}
      </ul>
      {isOpen ? (
        <FindingDetails group={group} context={context} />
      ) : (
        <div className="finding-actions">
          <FindingAction group={group} context={context} onReview={() => setOpen(true)} />
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-label={`${t('findings.details')}: ${itemName(first)}`}
            onClick={() => setOpen(true)}
          >
            {t('findings.details')}
          </Button>
        </div>
      )}
    </article>
  );
}
