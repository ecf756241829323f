// Numbers that decide how long a search takes, or when two numbers count as one: never what is found beyond that.
//
// A number tunes if another value gives the same answers in another time. These do not, and are not counted as such:
// what rounding and the formats of numbers allow ("accuracy"), what fits ("memory"), and ends of loops that were never
// seen to go on ("guards"). They stand first. Lanes, blocks and leaves, which the compiler has to know, stand where
// they are used, and so do doubling and halving.
//
// Behind each choice stands a measurement of work, which does not depend on the machine (`make tuning`): "×½ 1.04, ×2
// 1.01" says how much more of it the worst family took in the mean at half and at twice the value; where nothing is
// said, neither costs 2 %, but the hardest cases would suffer without the rule.
#pragma once

#include <cstddef>

#include "base/masses.hpp"

namespace rpw::tuning {

// ---------------------------------------------------------------- accuracy

// Bounds on one answer that agree to this share are one number; and while a search goes on, so that it may end.
inline constexpr double same_answer = 1e-12;
inline constexpr double same_number = 1e-13;
// What is passed, or kept, by this share is so whatever the rounding.
inline constexpr double a_little = 1e-9;
// Two heights of one line, from different sums.
inline constexpr double same_height = 4e-16;
// An exact answer whose bounds are further apart is looked for again in another way.
inline constexpr double proven_enough = 1e-10;
// Sums that carry the rounding of a number so much larger prove nothing; and what that rounding is: potentials carry
// this share of λ, and an arc enters the simplex only if it gains more.
inline constexpr double far_larger = 1000;
inline constexpr double rounding_of_lambda = 1e-14;
// The simplex finds costs up to 1e-14 λ: those that are smaller than λ by more than this are looked for again.
inline constexpr double sharp_lambda = 1e5;
// Powers of more binary digits than these, from the scale down, may leave float64.
inline constexpr double most_digits = 900;
// Stands for 0 in a ratio of λ.
inline constexpr double smallest_part = 1e-30;
// What sums of shares of a merged atom may differ by, as a part of its mass.
inline constexpr double rounding_of_shares = 0x1p-50;
// LMR: so many units in the largest cost that can be used. Fewer where there is no cap, since sums along a path must
// fit 64 bits too, or a unit of length would be lost in the rounding of float64. Smaller units leave float64 in sums.
inline constexpr double most_units = 0x1p60;
inline constexpr double most_units_without_cap = 0x1p50;
inline constexpr double smallest_unit = 1e-290;
// 32 bits hold costs below this with room for the walk of LMR.
inline constexpr double narrow_cost = 0x1p30;

// ---------------------------------------------------------------- memory

// Beyond so many pairs no matrix is made: 8 gigabytes; in up to three dimensions 2 gigabytes.
inline constexpr double most_pairs_of_matrix = 1e9;
inline constexpr double most_pairs_in_space = 2.5e8;
// At p = ∞ trees may list so many pairs, 4 bytes each: a gigabyte.
inline constexpr double most_listed_pairs = 2.5e8;
// Pairs that wait to be sorted at p = ∞ take twice the room of their entries in the matrix, so no more than this share
// of them waits at once.
inline constexpr double most_waiting = 1.0 / 32;
// No more arcs are listed by a walk over trees, and by the simplex over points. With 3 million, 100,000 plain points
// take 0.9 of the time, and 32 MB more.
inline constexpr std::size_t most_arcs = 2'000'000;
inline constexpr std::size_t most_arcs_of_simplex = 24'000'000;

// ---------------------------------------------------------------- guards

// Solves of one search. Never seen: each solve on a chord finds a new vertex or ends the search.
inline constexpr int most_solves = 500;
// A solve that takes so many times what is expected will not end. Never seen.
inline constexpr double most_solve = 100;
// Where rounding made the simplex go in circles, it would be given up after so many steps for each pair and each node;
// it needs some dozens.
inline constexpr double simplex_patience = 1e4;
// The simplex over points lists arcs anew so often at most.
inline constexpr int most_rounds_of_lists = 100;

// ---------------------------------------------------------------- samples

// So many pairs, or rows (or other nodes), stand for all. Pairs: ×½ 1.06, ×2 1.20; rows: ×½ 1.02, ×2 1.05
inline constexpr std::size_t pairs_in_sample = 512;
inline constexpr Node rows_in_sample = 32;

// ---------------------------------------------------------------- the simplex

// From this ratio of sizes on, one side is few against many: the strips (rows or columns) of the simplex run along the
// larger side. ×2 1.01
inline constexpr Node many_per_few = 4;
// And so many points at most are so few that the simplex alone is best, since pivots of a walk re-label the larger
// side. Timed in the plane: the simplex over the walk and the rule takes 0.3 to 0.9 of the time for 20 x 4,000, as long
// for 100 x 2,000, 1.1 to 7 times as long for 300 x 1,200, and 10 to 80 times for 900 x 3,600. A line that is a column
// is gathered from as many rows, each in another part of memory: with more rows the way over rows is shorter.
inline constexpr Node few_points = 100;
// Where there are far more lines than kept nodes, lines are priced in bundles of about so many arcs, and at most so
// many lines: if each let its own best arc enter, prices would go up and down, and most rounds would find little to do.
// Elsewhere the choice among more arcs makes the way longer, without end for the exponential example. Without bundles
// two against 20,000 on a matrix take ten times as long. Where arcs are listed a line has few, and lines are bundled
// too: 20,000 points, shifted, take 1.6 of the time with 1 line to a bundle instead of 8, and 1.2 with 32.
inline constexpr Node arcs_per_bundle = 200;
inline constexpr Node strips_per_bundle = 8;
// The price of a step beside one entry of a walk's list, as timed: passes over rows are vectorised; a pivot is mostly
// its climb. ×½ 1.05, ×2 1.01; ×½ 1.05, ×2 1.03
inline constexpr double work_per_cost = 0.12;
inline constexpr double work_per_pivot = 80;
// Of a box of eight in a tree, where costs need no power function and where they do; a step of a walk over trees takes
// half of that.
inline constexpr double work_per_box = 8;
inline constexpr double work_per_box_of_powers = 30;

// ---------------------------------------------------------------- the walk, and the rule between the two

// A walk from mass 0 that has taken this many steps per pair (or the other number of steps in all) says enough about
// its rate. ×½ 1.8 (large clouds), ×2 1.00; the other: ×½ 1.01, ×2 1.01
inline constexpr double first_stretch = 1.5;
inline constexpr double few_steps = 20000;
// Up to so many pairs, where no more atoms than this are expected to stay, the simplex begins. Timed, without this over
// with it: pictures of digits 1.2 (28 x 28) and 1.9 (14 x 14), 100 points in the plane 1.2 to 1.5, 300 1.0 to 1.2;
// for one in ten dimensions or where a tenth stays the simplex alone takes up to 7 times as long.
inline constexpr double pairs_for_simplex = 1e5;
inline constexpr double few_atoms = 30;
// Unless what stays would pay more than so many times what all the rest pays, as far outliers do: a walk ends just
// before them. 250 points with 25 of them far away take 0.4 of the time of the simplex. With 30 the same.
inline constexpr double far_dearer = 3;
// Pivots per node of a cold solve: the walk goes on if its rest costs less. ×½ 1.05, ×2 1.03
inline constexpr double pivots_per_node = 6;
// Solves in a row that find nothing new before the chord is next. ×½ 1.02, ×2 1.00
inline constexpr int most_stalls = 3;

// A list whose arcs took so many passes' work before its horizon was too long, and is made anew with a nearer one.
// Profiles of 1,500 to 4,000 points (clumps, clusters; p = 1 and 2) over those with 8: with 1 up to 5.8 times as long,
// with 2 1.7, without the rule 15.
inline constexpr double passes_overdue = 8;
// The list holds so many arcs per node at first. After each pass over the costs it gets longer or shorter by up to this
// factor. ×½ 1.06, ×2 1.17
inline constexpr double arcs_per_node_of_list = 8;
inline constexpr double most_change_of_list = 1.5;
// The wide list holds at least this share of all arcs. ×½ 1.04, ×2 1.03
inline constexpr double share_of_wide = 1.0 / 16;
// So many costs that lie side by side are looked at in the time of one arc in a list.
inline constexpr Node costs_per_arc = 4;

// ---------------------------------------------------------------- guesses of λ

// Every guess within a bracket keeps this share of its width from both ends, and a bracket so much wider than its lower
// end is halved by orders of magnitude, unless the guess lies above this part of its upper end: potentials there cannot
// tell apart what is cheap at the lower one.
inline constexpr double least_part = 0.001;
// Where ε is to be left, the slope of the profile is about ε to the power -(this · p) times that of the neighbours'
// curve. Counted on pictures of digits (k = 0.1, 1, 10; p = 2), over that with the number: with 0 1.06, 1.06, 1.14;
// with 0.13 0.98, 1.04, 1.00.
inline constexpr double steepening = 0.1;
// Without a right end this share of the way to the guess is taken, since the way back is dearer. ×½ 1.03, ×2 1.02; at 1
// pictures of 28 x 28 pixels take 1.1 to 1.6.
inline constexpr double near_side = 0.8;
// How far log ε may lie from that of a vertex beyond which the goal is sought, on either side.
inline constexpr double furthest_guess = 3;

// ---------------------------------------------------------------- W, and whole profiles

// A walk on trial is looked at after every step per pair. One that has moved less than this by the first look is given
// up; so is one that has more steps per pair before it, if what is unmoved goes on falling at the rate since the last
// look.
inline constexpr double little_moved = 0.4;
inline constexpr double much_before_it = 5.2;
// Among n points in d dimensions a way to anywhere is about n^(p/d) times as dear as one to a neighbour. Where it is
// more than this power of n, near a plane or a curve, a walk is long; but from so many points on the simplex has to
// read a matrix again and again that is larger than the caches. Timed: W without the walk takes 1.5 to
// 2.3 times as long in 10 and 64 dimensions, and 1.8 times for 2,500 points in the plane at p = 2.
inline constexpr double low_dimension = 0.45;
inline constexpr Node many_points = 2000;
// λ climbs in steps of this factor, or is lowered as far as everything still moves.
inline constexpr double step_of_lambda = 2;
// After this many solves for two curves around a profile the walk is given a chance.
inline constexpr std::size_t solves_before_walk = 128;

// ---------------------------------------------------------------- p = ∞

// A walk sorts so many pairs for each node at first, and twice as many each time.
inline constexpr double first_pairs_per_node = 16;
// Two curves take up to so many flows; beyond that the walk, which finds the profile itself, is the shorter way.
inline constexpr double many_flows = 64;

// ---------------------------------------------------------------- bounds of a search

// A mixture of as many cuts as this was sharper than one of fewer or more.
inline constexpr std::size_t cuts_in_mixture = 3;

// ---------------------------------------------------------------- LMR

// The first round takes this many tol for a lower bound; the second round has a proven one.
inline constexpr double first_lower_in_tols = 8;
// So many more arcs of each row are listed at a time.
inline constexpr double arcs_per_row = 12;

// ---------------------------------------------------------------- the line

// Timed, not counted; half and twice of a value were not tried where nothing is said.
//
// Guesses of λ keep this share of the bracket's width from both ends. At `least_part` searches take 1.03.
inline constexpr double least_part_on_line = 0.05;
// The first λ comes from so many times fewer quantiles, where these are as many at least. Without them searches take
// 1.5 times as long.
inline constexpr Node times_coarser = 16;
// What a path, or a step of another walk, takes in its queue and heaps, as the clock is told.
inline constexpr std::size_t work_per_path = 64;
// A profile at p = ∞ to within tol takes up to twice so many passes; beyond that the walk, which finds the profile
// itself, is the shorter way. At a hundredth of that, passes take a tenth of the time.
inline constexpr double many_passes = 2048;
// The walk at p = ∞ tries to skip stretches where so many atoms in a row could be skipped, and looks at so many pairs
// at once where none can. Without the first 50,000 atoms take 2 to 3 times as long, without the second regular grids 9
// times.
inline constexpr Node worth_a_stretch = 4;
inline constexpr Node pairs_at_once = 32;
// Diagonals of known plans that a stretch of a path follows before it is halved. Without them a solve takes 1.4 times
// as long.
inline constexpr int most_hints = 6;
// Where a point is repeated so often on average, sums go over runs of equal pairs: 40,000 points at 15 places take a
// quarter of the time.
inline constexpr Node worth_a_run = 16;
// Costs per atom that take as long as one search, and as long as a sandwich where the measures lie apart; breakpoints
// per atom beyond which a walk is longer than a search or a sandwich for p = 1 too. Without walks, searches at p = 1
// take up to 4 times as long.
inline constexpr std::size_t costs_of_search = 200;
inline constexpr std::size_t many_costs = 4000;
inline constexpr std::size_t many_edges = 8;
// So many points are looked at first when a line is sought that follows no axis.
inline constexpr Node points_in_sample = 8;
// Fewer numbers are sorted by comparing them; from here on digits take 0.6 of the time.
inline constexpr std::size_t worth_counting = 400;

// ---------------------------------------------------------------- points without a matrix

// From so many pairs on a search over trees is tried first; where it passes over all pairs to list arcs (see
// `most_listed_by_searches`), from the second number on, and up to so many dimensions. It may take so many steps of the
// simplex per pair over the fourth power of the dimension, and per pair no more and no fewer than the last two numbers.
// All that it does counts: walks, cells, lists, transforms. 3,000 points in the plane take 1 to 10 steps per pair;
// where it fails, in tight clusters, 25 steps are as long as the matrix takes after it, and 80 twice as long. Timed,
// trees over a matrix (plain, shifted, outliers, unequal weights, clusters; p = 1 and 2): n = 3,000 in the plane 0.03
// to 0.9, in three dimensions 0.03 to 1.3. n = 4,000 in 8 and 16 dimensions 0.2 to 0.9 where k is 0.1 or 1; where k is
// 10, 0.3 to 0.8, and 1.8 beside outliers in 16. n = 2,000 in 7 to 16: 0.3 to 1 and, in clusters, 2.2. In 64 dimensions
// a pass takes as long as a matrix, and clusters at k = 10 3.4 times.
inline constexpr double pairs_for_trees = 4e6;
// Between few points and many (see `many_per_few`) trees are tried from so many pairs on, and get the largest number of
// steps, for as many points as make cells. Timed in the plane and in space, trees over a matrix: 900 x 3,600 0.1 to
// 0.8, 130 x 4,000 0.2 to 0.7, 60 x 8,000 0.2 to 0.8, 25 x 20,000 0.2 to 0.9, 100 x 20,000 0.02 to 0.1; but 30 x 5,000
// 0.6 to 1.5.
inline constexpr double pairs_for_trees_of_few = 5e5;
inline constexpr double pairs_for_passes = 1e7;
inline constexpr Node most_dimensions_on_trial = 32;
inline constexpr double steps_of_trial = 1600;
inline constexpr double most_steps_of_trial = 25;
inline constexpr double least_steps_of_trial = 3.2;
// At p = ∞ trees are tried in so many dimensions.
inline constexpr Node few_dimensions = 6;
// At p = ∞, where a matrix can be asked instead, trees may list this share of all pairs: to find more of them takes as
// long as to make the matrix.
inline constexpr double share_on_trial = 1.0 / 64;
// Where rounding leaves a doubt, a matrix of up to so many pairs is asked instead.
inline constexpr double most_pairs_instead = 1e7;

// From so many atoms on, equal points are looked for: one pass over a hash table.
inline constexpr Node atoms_worth_merging = 100;

// A horizon of the trees goes further by this factor where the work since the last renewal was less than so many passes
// over all nodes, and half as far where it was more than so many: of counted work a third takes as long as the boxes of
// a pass. With one number of passes for both, points take 1.03 to 1.04.
inline constexpr double fewest_passes = 4;
inline constexpr double most_passes = 12;
inline constexpr double further_on = 4;
// Arcs of a list that are looked at in the time of one box.
inline constexpr std::size_t arcs_per_box = 8;
// Far more work before the horizon, and it is renewed early: profiles beside a clump take 0.5 to 1.
inline constexpr std::size_t passes_overdue_on_trees = 50;
// No more arcs are listed for each node.
inline constexpr std::size_t arcs_per_node = 48;
// A list that answers fewer questions, one for so many nodes, was not worth its pass. Without this rule 60 points
// beside outliers 1,000 times as far away do not end in 11 dimensions.
inline constexpr double few_questions = 16;
// The points of a side are merged to cells where there are at least so many of them; a search starts from one between
// cells if either side has so many. With 1,000, W of other densities at 40,000 points knows nothing after three
// seconds; with 125 its bounds are 0.003 apart.
inline constexpr Node fewest_cells = 125;
// With a time limit, cells give first bounds from so many pairs on: fewer are solved in a few hundredths of a second.
inline constexpr double pairs_for_first_bounds = 1 << 20;

// The simplex over points lists so many arcs for each node. With 12 31,623 points, moved, take 1.4 of the time at p =
// 1, with 48 1.1; 3,000 points in clusters 0.8 and 1.3.
inline constexpr std::size_t arcs_per_node_of_simplex = 24;
// A cell has so many points, or cells: as many as a block of a tree has, so that cells lie apart.
inline constexpr Node points_per_cell = 8;
// Before that it walks for so many steps a point. It goes on for as many again while it has left no more than so many
// times the proven bound beyond it, and seems to arrive within so many stretches. In the plane 20,000 points take 430
// steps (plain), 230 (far outliers), 80 (k = 0.1), 8,100 (shifted) and 28,000 (other densities); a search from cells
// 400 to 2,400.
inline constexpr double work_of_first_walk = 250;
inline constexpr double most_excess = 3;
inline constexpr double most_stretches_left = 2;
// The plan of that walk is the start, instead of that of the cells, if its slack at the goal is at most this many times
// the slack of the cells' plan. The time with the walk's plan, in units of that with the cells', for W_2 of 20,000
// points (in brackets the slack, in units of the cells'): Dirichlet weights in space 0.17 (1.2), plain 0.7 (0.3)
// to 1.05 (0.9), shifted in space 1.1 (1.4), Dirichlet in the plane 0.9 (4.6), beside outliers 3 to 25 (17 to 600); for
// 5,000 points shifted in the plane 2.1 (4.1). And λ at the goal must be at most so many times as large as the walk's,
// because each step of the climb lists arcs: RPW of 6,000 points beside outliers 30 times as far away took 2.8 times as
// long.
inline constexpr double walk_preference = 2;
inline constexpr double longest_climb = 64;

// In up to so many dimensions arcs are listed by searches in a tree, beyond that by a pass over all pairs, as far as a
// sample of the rows says that the lists will hold. Passes over searches, 20,000 plain points: in 5 dimensions 2.2, in
// 6 and 8 0.5, in 10 0.3; 1,000 and 3,000 points (plain, shifted, outliers, Dirichlet, clusters) in 6 to 10: 0.1
// to 1.3.
inline constexpr Node most_listed_by_searches = 5;
// In up to so many dimensions one search for each point pays. 8,000 points, searches over passes: in 8 dimensions 0.8,
// in 10 1.4, in 12 2.5; but lists of 20,000 points take 0.9 in 10, and beside far outliers in 4 they never fit.
inline constexpr Node most_searched_dimensions = 10;

}  // namespace rpw::tuning
