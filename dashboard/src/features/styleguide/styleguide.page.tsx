import { Button, Container, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Avatar } from '../../shared/avatar';
import { CopyId } from '../../shared/copy-id';
import { DataTable } from '../../shared/data-table';
import { FilterChip } from '../../shared/filter-chip';
import { Figure, Figures } from '../../shared/figure';
import { ListCard } from '../../shared/list-card';
import { Notice } from '../../shared/notice';
import { Page } from '../../shared/page';
import { PasswordField } from '../../shared/password-field';
import { SearchField } from '../../shared/search-field';
import { Section } from '../../shared/section';
import { Segments } from '../../shared/segments';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Step } from '../../shared/step';
import { StatusLabel } from '../../shared/status-label';
import { changeOf, increaseOf, pointsOf } from '../../shared/trend';
import { Wordmark } from '../../shared/wordmark';

// English only: a page for developers, not for users.
const ROWS = [
  { id: '01a20310-0000-7000-8000-0000000782b5', host: 'www.example.com', records: 1_204 },
  { id: '01a202b7-0000-7000-8000-000000c1990f', host: 'shop.example.com', records: 87 },
];

const COURSE = [12, 14, 13, 17, 15, 19, 22, 20, 24];

/** Every shared component in each of its states. */
export function StyleguidePage() {
  return (
    <Container size={1176} py="lg" component="main">
      <Page title="Styleguide" count={11} actions={<Button>Primary action</Button>}>
        <Notice action={<Button variant="default">Review</Button>}>
          <b>Something needs attention.</b> <span className="notice-reason">One sentence says why.</span>
        </Notice>
        <Numbers />
        <Section title="Brand and identity">
          <Group>
            <Wordmark />
            <Wordmark size="large" />
            <Avatar name="Nordlicht Bikes" />
            <Avatar name="Café Lumen" />
            <CopyId id={ROWS[0]!.id} />
            <kbd>⌘ K</kbd>
          </Group>
        </Section>
        <Section title="Status and labels" text="A word and a shape, never a color alone.">
          <Group>
            <StatusLabel status="good">Delivered</StatusLabel>
            <StatusLabel status="bad">Failed</StatusLabel>
            <StatusLabel status="waiting">Queued</StatusLabel>
            <StatusLabel status="off">Off</StatusLabel>
            <span className="pill">Business</span>
            <span className="chips">
              <span className="chip" data-on>
                Granted
              </span>
              <span className="chip">Denied</span>
            </span>
          </Group>
        </Section>
        <Section title="History">
          <ol className="steps">
            <Step status="good" title="Stored" at="2026-11-24T08:51:20Z">
              www.example.com
            </Step>
            <Step status="bad" title="Delivery failed" at="2026-11-24T08:51:21Z">
              The endpoint returned 503.
            </Step>
            <Step status="waiting" title="Queued">
              Waiting for attempt 2.
            </Step>
          </ol>
        </Section>
        <ListCard
          search={<SearchField aria-label="Search" placeholder="Search" />}
          filters={
            <>
              <FilterChip name="Delivery" value="Delivery: Failed" onClear={() => {}}>
                <TextInput label="Delivery" />
              </FilterChip>
              <FilterChip name="Host" value={undefined} onClear={() => {}}>
                <TextInput label="Host" />
              </FilterChip>
            </>
          }
          active={1}
          onClear={() => {}}
        >
          <DataTable
            label="List"
            items={ROWS}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Host', flexible: true, cell: ({ host }) => host },
              { title: 'Consent ID', cell: ({ id }) => <CopyId id={id} /> },
            ]}
          />
        </ListCard>
        <Section title="Table">
          <DataTable
            label="Table"
            items={ROWS}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Host', cell: ({ host }) => host },
              { title: 'Consent ID', cell: ({ id }) => <CopyId id={id} /> },
              { title: 'Records', numeric: true, cell: ({ records }) => records },
            ]}
          />
        </Section>
        <Controls />
        <Section title="Loading">
          <SkeletonRows rows={3} />
        </Section>
      </Page>
    </Container>
  );
}

function Numbers() {
  return (
    <Figures label="Figures">
      <Figure
        title="Better"
        value="48,213"
        trend={changeOf(48_213, 44_477)}
        note="44,477 last month"
        course={COURSE}
      />
      <Figure title="Worse" value="66.3%" trend={pointsOf(0.663, 0.682, 'pp')} note="68.2% last month" />
      <Figure
        title="Undelivered"
        value="18"
        trend={increaseOf(18)}
        note="18 in the last 24 hours"
        course={COURSE}
        courseTone="bad"
      />
      <Figure title="Unchanged" value="212,940" trend={changeOf(212_940, 212_940)} />
    </Figures>
  );
}

function Controls() {
  const [period, setPeriod] = useState('Today');
  return (
    <Section title="Forms and buttons">
      <Stack gap="sm" maw={520}>
        <TextInput label="Text" description="What it is for." placeholder="Placeholder" />
        <TextInput
          label="Refused"
          defaultValue="http://example.com"
          error="The URL must start with https://."
        />
        <PasswordField label="Password" />
        <NativeSelect label="One of several" data={['Viewer', 'Editor', 'Owner']} />
        <Segments
          label="Period"
          options={['Today', 'This month']}
          labelOf={(name) => name}
          value={period}
          onChange={setPeriod}
        />
        <Group>
          <Button>Save changes</Button>
          <Button variant="default">Cancel</Button>
          <Button variant="subtle">Clear filters</Button>
          <Button color="red">Delete project</Button>
          <Button disabled>Disabled</Button>
          <Button loading>Saving</Button>
        </Group>
      </Stack>
    </Section>
  );
}
