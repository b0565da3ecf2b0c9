import { Button } from '@mantine/core';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { Fragment, useState } from 'react';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { FindingAction, type FindingContext, FindingDetails } from './finding-details';
import { FirstSeen } from './first-seen';
import { type FindingGroup, type FindingSection, markIn, STATES } from './finding-groups';
import { itemName, itemOrigin } from './finding-sentence';
import { StateMark } from './mark';
import { Verdict } from './verdict';

/** Rows of a section that are drawn at first. */
const ROWS_SHOWN = 25;

/** Each item as a row, each consent state as a column. A row opens and shows the sightings and the fix. */
export function FindingTable({ sections, context }: { sections: FindingSection[]; context: FindingContext }) {
  const [opened, setOpened] = useState<string | null>(sections[0]?.groups[0]?.id ?? null);
  const toggle = (id: string) => setOpened((current) => (current === id ? null : id));
  return (
    <div className="rows finding-matrix" role="group" aria-label={t('findings.title')} tabIndex={0}>
      <table aria-label={t('findings.title')}>
        <thead>
          <tr>
            <th scope="col">{t('findings.item')}</th>
            {STATES.map((state) => (
              <th key={state} scope="col" className="mark-cell" title={t(`scans.states.${state}`)}>
                {t(`findings.columns.${state}`)}
              </th>
            ))}
            <th scope="col">{t('findings.firstSeen')}</th>
            <th scope="col">
              <span className="hidden-text">{t('findings.action')}</span>
            </th>
          </tr>
        </thead>
        {sections.map((section) => (
          <Section key={section.title} section={section} context={context} opened={opened} toggle={toggle} />
        ))}
      </table>
    </div>
  );
}

interface Opening {
  opened: string | null;
  toggle: (id: string) => void;
}

function Section(props: { section: FindingSection; context: FindingContext } & Opening) {
  const { section, context, opened, toggle } = props;
  const { tone, title, text, groups } = section;
  const [all, setAll] = useState(false);
  const shown = all ? groups : groups.slice(0, ROWS_SHOWN);
  return (
    <tbody>
      <tr className="section-row">
        <th scope="rowgroup" colSpan={STATES.length + 3}>
          <Verdict tone={tone}>{title}</Verdict> <span className="quiet">{text}</span>
        </th>
      </tr>
      {shown.map((group) => (
        <Fragment key={group.id}>
          <Row
            group={group}
            context={context}
            isOpen={opened === group.id}
            onToggle={() => toggle(group.id)}
          />
          {opened === group.id && (
            <tr className="details-row">
              <td colSpan={STATES.length + 3} id={`details-${group.id}`}>
                <FindingDetails group={group} context={context} />
              </td>
            </tr>
          )}
        </Fragment>
      ))}
      {groups.length > shown.length && (
        <tr>
          <td colSpan={STATES.length + 3}>
            <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
              {t('findings.showMore', { count: groups.length - shown.length })}
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function Row(props: { group: FindingGroup; context: FindingContext; isOpen: boolean; onToggle: () => void }) {
  const { group, context, isOpen, onToggle } = props;
  const { first } = group;
  return (
    <tr data-opened={isOpen || undefined}>
      <th scope="row">
        <button
          type="button"
          className="plain-button finding-name"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `details-${group.id}` : undefined}
          onClick={onToggle}
        >
          <ChevronRight className="icon" aria-hidden />
          <span className="mono">
            <VisibleText text={itemName(first)} />
          </span>
          <span className="quiet">
            <VisibleText text={itemOrigin(first)} />
          </span>
        </button>
      </th>
      {STATES.map((state) => (
        <td key={state} className="mark-cell">
          <StateMark mark={markIn(group, state, context.tested.has(state))} />
        </td>
      ))}
      <td>
        <FirstSeen group={group} scanId={context.scan.id} />
      </td>
      <td className="action-cell">
        {!isOpen && <FindingAction group={group} context={context} onReview={onToggle} />}
      </td>
    </tr>
  );
}
