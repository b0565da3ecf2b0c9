import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { errorMessage } from '../../shared/error-message';
import { StatusLabel } from '../../shared/status-label';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';

type Named = { id: string; name: string };

/** The result for one of several projects, or its error. */
export type Outcome<R> = { project: Named } & ({ result: R } | { failure: string });

/** Runs an action for each project, one after another: each is complete or not begun. */
export async function runForEach<P extends Named, R>(
  projects: readonly P[],
  action: (project: P) => Promise<R>,
): Promise<Outcome<R>[]> {
  const outcomes: Outcome<R>[] = [];
  for (const project of projects)
    outcomes.push(
      await action(project).then(
        (result) => ({ project, result }),
        (error: unknown) => ({ project, failure: errorMessage(error) }),
      ),
    );
  return outcomes;
}

/** The outcome of each project, failures first. */
export function OutcomeList<R>(props: {
  label: string;
  outcomes: readonly Outcome<R>[];
  done: string;
  onClose: () => void;
  action?: ReactNode;
}) {
  const failed = props.outcomes.filter((outcome) => 'failure' in outcome);
  const done = props.outcomes.filter((outcome) => !('failure' in outcome));
  return (
    <Stack gap="sm">
      <Stack gap="xs" component="ul" className="plain-list" aria-label={props.label}>
        {[...failed, ...done].map((outcome) => (
          <li key={outcome.project.id}>
            <Link to="/projects/$projectId/banner" params={{ projectId: outcome.project.id }}>
              <VisibleText text={outcome.project.name} />
            </Link>{' '}
            {'failure' in outcome ? (
              <StatusLabel status="bad">
                <span>{outcome.failure}</span>
              </StatusLabel>
            ) : (
              <Text component="span" c="dimmed">
                {props.done}
              </Text>
            )}
          </li>
        ))}
      </Stack>
      <Group justify="flex-end">
        {props.action}
        <Button onClick={props.onClose}>{t('shared.close')}</Button>
      </Group>
    </Stack>
  );
}
