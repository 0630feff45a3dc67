"""
Functions that note which plan row each thread used last, and tell it.

A place of the table is two words: a thread, as Python knows it, and a row. That of a
thread is the first from its hash on that is its own or nobody's. When all belong to
others, as threads that ended do not leave theirs, it takes the one of its hash.
"""

from __future__ import annotations

from ....runtime import HASH_FACTOR, NOTES, WORD, State
from .python_objects import state_field

NOTED = f"""declare ptr @PyThreadState_Get()
define internal ptr @sr_place() nounwind {{
entry:
  %thread = call ptr @PyThreadState_Get()
  %number = ptrtoint ptr %thread to i64
  %mixed = mul i64 %number, {HASH_FACTOR - 2**64}
  %high = lshr i64 %mixed, {64 - NOTES.bit_length()}
  %notes = load ptr, ptr {state_field(State.NOTES)}, align {WORD}
  br label %one
one:
  %tried = phi i64 [0, %entry], [%next, %other]
  %sum = add i64 %high, %tried
  %masked = and i64 %sum, {NOTES - 1}
  %at = shl i64 %masked, 1
  %place = getelementptr inbounds i64, ptr %notes, i64 %at
  %owner = load ptr, ptr %place, align {WORD}
  %own = icmp eq ptr %owner, %thread
  %free = icmp eq ptr %owner, null
  %found = or i1 %own, %free
  br i1 %found, label %done, label %other
other:
  %next = add nuw nsw i64 %tried, 1
  %more = icmp ule i64 %next, {NOTES}
  br i1 %more, label %one, label %done
done:
  ret ptr %place
}}
define void @sr_note(ptr %row) nounwind {{
entry:
  %thread = call ptr @PyThreadState_Get()
  %place = call ptr @sr_place()
  %row.at = getelementptr inbounds ptr, ptr %place, i64 1
  store ptr %thread, ptr %place, align {WORD}
  store ptr %row, ptr %row.at, align {WORD}
  ret void
}}
define ptr @sr_noted() nounwind {{
entry:
  %thread = call ptr @PyThreadState_Get()
  %place = call ptr @sr_place()
  %row.at = getelementptr inbounds ptr, ptr %place, i64 1
  %other = load ptr, ptr %place, align {WORD}
  %row = load ptr, ptr %row.at, align {WORD}
  %same = icmp eq ptr %thread, %other
  %found = select i1 %same, ptr %row, ptr null
  ret ptr %found
}}
"""
